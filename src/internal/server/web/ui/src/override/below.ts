import type { Level } from "./place";
import { isSecret, type EffectiveSet, type Source } from "./queries";
import { lineOf, rowsOf } from "./rows";

/** What a parameter would be without an override, and what it comes to with it. */
export interface Below {
  source?: Source; // whose value it would be
  text?: string; // that value in one line
  secret: boolean;
  becomes?: string; // with its macros replaced
  macros: string[]; // what the macros of the value stand for, each in a line
}

/** Of each value of an effective set what it would be without the override of a level, by JSON pointer. */
export function below(set: EffectiveSet, level: Level): Map<string, Below> {
  const values = new Map(rowsOf(set.toBe).map(({ pointer, text }) => [pointer, text]));
  return new Map(
    [...set.chains].map(([pointer, chain]) => {
      const secret = isSecret(set, pointer);
      const source = chain.findLast((one) => !(one.override && one.level === level) && !one.input);
      return [pointer, { source, text: source?.value && lineOf(source.value), secret, becomes: values.get(pointer), macros: secret ? [] : expansions(chain) }];
    }),
  );
}

/** What the macros of the value that won stand for, each in a line with who set it. */
export function expansions(chain: Source[]): string[] {
  return chain.flatMap(({ won, macros }) => (won ? macros : [])).map(({ macro, chain: of }) => {
    const last = of.find((one) => one.won) ?? of.at(-1);
    const value = last?.value ? ` = ${lineOf(last.value)}` : "";
    return last ? `${macro}${value} (${last.level ?? last.name})` : macro;
  });
}
