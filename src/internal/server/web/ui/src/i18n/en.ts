import { texts as audit } from "../audit/texts.en";
import { texts as changesets } from "../changesets/texts.en";
import { texts as common } from "./common.en";
import { texts as explorer } from "../explorer/texts.en";
import { texts as form } from "../form/texts.en";
import { texts as graph } from "../graph/texts.en";
import { texts as history } from "../history/texts.en";
import { texts as home } from "../home/texts.en";
import { texts as keyboard } from "../keyboard/texts.en";
import { texts as layering } from "../layering/texts.en";
import { texts as live } from "../live/texts.en";
import { texts as override } from "../override/texts.en";
import { texts as palette } from "../palette/texts.en";
import { texts as resolution } from "../resolution/texts.en";
import { texts as schema } from "../schema/texts.en";
import { texts as shell } from "../shell/texts.en";
import { texts as solution } from "../solution/texts.en";
import { texts as system } from "../system/texts.en";
import { texts as table } from "../table/texts.en";
import { texts as view } from "../view/texts.en";
import { texts as yaml } from "../yaml/texts.en";

/** All texts in English, by feature, as messages of ICU MessageFormat. */
export const en = {
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

export type Catalog = { [Feature in keyof typeof en]: Record<keyof (typeof en)[Feature], string> };
