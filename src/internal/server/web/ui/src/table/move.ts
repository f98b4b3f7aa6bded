import { rename, type Results } from "../history/queries";
import { formatId, parseId } from "../model/ids";
import type { Kind, Model } from "../model/kinds";

/** A document that gets another place. */
export interface Move {
  from: string;
  to: string;
}

/** The kinds of documents that those of a kind can be below. */
export function parentsOf(model: Model, kind: Kind): Kind[] {
  return model.kinds.filter((parent) => !parent.abstract && model.childKinds(parent).includes(kind));
}

/** What it takes to bring documents below another one; nothing for those that are there already. */
export function movesOf(model: Model, ids: string[], under: string): Move[] {
  const target = parseId(under) ?? [];
  return ids.flatMap((from) => {
    const above = parseId(model.ancestors(from).at(-1) ?? "")?.length ?? 0;
    const to = formatId([...target, ...(parseId(from) ?? []).slice(above)]);
    return to === from ? [] : [{ from, to }];
  });
}

/** An id that several documents would get; undefined where each gets one of its own. */
export function clashOf(moves: Move[]): string | undefined {
  const taken = new Set<string>();
  return moves.find(({ to }) => taken.size === taken.add(to).size)?.to;
}

/** What moves would do. */
export interface MovePlan {
  moved: number; // documents that get another id, with those below the ones that move
  rewritten: Results["results"]; // documents whose references are rewritten
  references: number;
}

/** Why one of several moves is refused. */
export class MoveError extends Error {
  readonly move: Move;

  constructor(move: Move, cause: unknown) {
    super(`${move.from} cannot be moved`, { cause });
    this.move = move;
  }
}

/** Asks the server what moves would do, one by one. */
export async function planMoves(moves: Move[], changeSet?: string): Promise<MovePlan> {
  let [moved, references] = [0, 0];
  const rewritten = new Map<string, Results["results"][number]>();
  for (const move of moves) {
    const plan = await send(move, { dryRun: true, changeSet }); // oxlint-disable-line no-await-in-loop -- the first refusal is enough
    references += plan.references ?? 0;
    for (const result of plan.results) {
      if (result.effect === "created") moved++;
      if (result.effect === "updated") rewritten.set(result.id, result);
    }
  }
  return { moved, rewritten: [...rewritten.values()], references };
}

/** Does moves one after the other, and tells each that is done. */
export async function doMoves(moves: Move[], how: { message?: string; changeSet?: string }, onDone: (move: Move) => void): Promise<void> {
  for (const move of moves) {
    await send(move, how); // oxlint-disable-line no-await-in-loop -- each is a transaction of its own
    onDone(move);
  }
}

async function send(move: Move, how: Parameters<typeof rename>[2]): Promise<Results> {
  try {
    return await rename(move.from, move.to, how);
  } catch (error) {
    throw new MoveError(move, error);
  }
}
