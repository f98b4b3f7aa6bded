import { texts as audit } from "../audit/texts.ru";
import { texts as changesets } from "../changesets/texts.ru";
import { texts as common } from "./common.ru";
import { texts as explorer } from "../explorer/texts.ru";
import { texts as form } from "../form/texts.ru";
import { texts as graph } from "../graph/texts.ru";
import { texts as history } from "../history/texts.ru";
import { texts as home } from "../home/texts.ru";
import { texts as keyboard } from "../keyboard/texts.ru";
import { texts as layering } from "../layering/texts.ru";
import { texts as live } from "../live/texts.ru";
import { texts as override } from "../override/texts.ru";
import { texts as palette } from "../palette/texts.ru";
import { texts as resolution } from "../resolution/texts.ru";
import { texts as schema } from "../schema/texts.ru";
import { texts as shell } from "../shell/texts.ru";
import { texts as solution } from "../solution/texts.ru";
import { texts as system } from "../system/texts.ru";
import { texts as table } from "../table/texts.ru";
import { texts as view } from "../view/texts.ru";
import { texts as yaml } from "../yaml/texts.ru";
import type { Catalog } from "./en";

/** All texts in Russian. */
export const ru: Catalog = {
  audit,
  changesets,
  common,
  explorer,
  form,
  graph,
  history,
  home,
  keyboard,
  layering,
  live,
  override,
  palette,
  resolution,
  schema,
  shell,
  solution,
  system,
  table,
  view,
  yaml,
};
