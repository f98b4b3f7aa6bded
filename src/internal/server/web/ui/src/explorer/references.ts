import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { stringify } from "yaml";
import type { Envelope } from "../api/documents";
import { send } from "../api/client";
import { isNotFound } from "../api/problem";
import { firstDocumentsQuery } from "../api/queries";
import { inView } from "../api/view";
import { targetsOf } from "../form/missing";
import { useTexts } from "../i18n/texts";
import { nameOf, parseId, shortName, type Element } from "../model/ids";
import type { Kind, Model } from "../model/kinds";
import { isObject, type Path } from "../model/paths";
import { fits, knownElements, memberOf, referTo, scopeOf, slotsAt, slotsOf, type KnownElement, type Slot } from "../model/slots";
import type { Offer } from "../yaml/context";
import type { ReferenceHelp } from "../yaml/references";

/** What the YAML of a document can refer to, and what it refers to. */
export function useReferenceHelp(model: Model, kind: Kind, own: Element[]): ReferenceHelp {
  const t = useTexts();
  const queries = useQueryClient();
  const place = JSON.stringify(own);
  return useMemo(() => {
    const key = JSON.parse(place) as Element[];
    const slots = slotsOf(kind.references);
    return {
      offers: (path, data) => offersAt({ model, own: key, slots, queries }, path, data),
      targets: (data) => slots.flatMap((slot) => targetsOf(data, slot, model, key).flatMap(({ path, id }) => (id === undefined ? [] : [{ path, id, name: slot.names }]))),
      about: async (id) => {
        try {
          const { kind: of, data, updated } = await envelopeOf(queries, model, id);
          return { id, lines: [of, data.metadata?.description ?? "", `${t("common.updated")} ${new Date(updated).toLocaleString(document.documentElement.lang)}`].filter(Boolean) };
        } catch (error) {
          if (isNotFound(error)) return { id, lines: [t("common.documentGone")] };
          throw error;
        }
      },
    };
  }, [kind, model, place, queries, t]);
}

function envelopeOf(queries: QueryClient, model: Model, id: string): Promise<Envelope> {
  const path = model.itemPath(id) ?? "";
  return queries.fetchQuery({ queryKey: ["about", path], staleTime: 5_000, retry: false, queryFn: async () => (await (await send("GET", inView(`${path}?view=document`))).json()) as Envelope });
}

interface World {
  model: Model;
  own: Element[];
  slots: Slot[];
  queries: QueryClient;
}

/** The documents that can be referred to at a path: by a name, by a map of several names, by one member of such a map, or as the name of a member. */
async function offersAt(world: World, path: Path, data: unknown): Promise<Offer[]> {
  const { model, own, slots } = world;
  const found: Promise<Offer[]>[] = [];
  for (const slot of slotsAt(slots, path)) {
    for (const target of targetsIn(model, slot)) {
      found.push(documents(world, target, knownElements(slot, target, own, undefined), (id, base) => {
        const [change] = referTo(slot, target, own, id, [], undefined);
        return { label: shortName(id, base), insert: stringify(change?.value, { collectionStyle: "flow", lineWidth: 0 }).trim(), detail: target.name, info: id };
      }));
    }
  }
  for (const slot of slotsAt(slots, path, true)) {
    for (const target of targetsIn(model, slot)) {
      found.push(documents(world, target, knownElements(slot, target, own, undefined), (id) => ({ label: nameOf(id), insert: `${stringify(nameOf(id)).trim()}: `, detail: target.name, info: id })));
    }
  }
  const member = path.at(-1);
  const above = path.slice(0, -1);
  for (const slot of slotsAt(slots, above)) {
    for (const target of targetsIn(model, slot)) {
      const at = target.key.findIndex((element) => memberOf(slot, element) === member);
      if (at === -1) continue;
      const beside = valueAt(data, above);
      const others = isObject(beside) ? Object.fromEntries(Object.entries(beside).filter(([name]) => name !== member)) : {};
      const known = knownElements(slot, target, own, others).map((element, i) => (i === at && element.from !== "rule" ? { name: element.name } : element));
      found.push(documents(world, target, known, (id) => {
        const name = parseId(id)?.[at]?.value ?? "";
        return { label: name, insert: stringify(name).trim(), detail: target.key[at] ?? "", info: "" };
      }));
    }
  }
  const all = (await Promise.all(found)).flat();
  return [...new Map(all.map((offer) => [`${offer.detail} ${offer.label}`, offer])).values()];
}

function targetsIn(model: Model, slot: Slot): Kind[] {
  return slot.reference.to.flatMap((name) => model.kind(name) ?? []);
}

/** The first documents of a kind whose keys have what is known. */
async function documents({ model, queries }: World, target: Kind, known: KnownElement[], offer: (id: string, base: string) => Offer): Promise<Offer[]> {
  const base = scopeOf(model, known);
  const { items } = await queries.fetchQuery({ ...firstDocumentsQuery({ kind: target.name, under: base }), staleTime: 5_000 });
  return items.filter(({ id }) => fits(known, id)).map(({ id }) => offer(id, base));
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => (Array.isArray(at) ? at[Number(step)] : isObject(at) ? at[String(step)] : undefined), data);
}
