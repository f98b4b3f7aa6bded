/** What every address says: the change set that the page works in, or the moment that it shows. Links keep it. */
export interface ViewSearch {
  changeSet?: string;
  asOf?: string; // a time, or a position of the history
}

/** What the address of the explorer says. Everything of it may be left out. */
export interface ExplorerSearch {
  id?: string;
  tab?: string;
  by?: string;
  find?: string;
  kind?: string;
  wide?: string; // "true": lists show all columns
  columns?: string; // those that the list shows instead, separated by commas: of the kind, or paths of fields
  sort?: string; // a column of the list, with a hyphen before it the other way round
  labels?: string; // a label selector of the list
  fields?: string; // a field selector of the list
  like?: string; // a part of the names that the list shows
  depth?: string;
  to?: string; // the document to which the graph shows a path
  mark?: string; // what the graph marks
  view?: string; // "blame": the history shows which version set each line
  at?: string; // the position of the version that the history shows
  before?: string; // the one that it is compared with
}

/** What the address of the form for a new document says. */
export interface NewSearch {
  under?: string;
  kind?: string;
}

/** What the address of the schema says. */
export interface SchemaSearch {
  kind?: string;
  tab?: string;
}

/** What the address of the solution descriptors says. */
export interface DescriptorsSearch {
  environment?: string;
  tab?: string;
}

/** What the address of the overrides says: what they are for, and how they are looked at. */
export interface OverridesSearch {
  cluster?: string;
  environment?: string;
  context?: string;
  level?: string;
  namespace?: string;
  application?: string;
  side?: string; // what is beside the override: "origin" of a value, who is "affected", or else the effective set
  view?: string;
  path?: string; // of the value whose origin is shown
  overlap?: string;
}

/** What the address of the layered documents says. */
export interface LayeringSearch {
  revision?: string;
  tab?: string;
  schema?: string;
  name?: string;
  layer?: string;
  other?: string; // the revision that is compared
  show?: string; // "table": documents are shown in tables, not as columns
  of?: string; // the document whose relatives alone the columns have
  path?: string; // of the value whose origin is shown
}

/** What the address of the resolutions says. */
export interface ResolutionsSearch {
  name?: string;
  tab?: string;
  without?: string; // the constraints that are left out in a trial
  source?: string; // what the tab "catalogs" shows: a source, a package of it, a channel and a version of that
  package?: string;
  channel?: string;
  version?: string;
  from?: string; // the version from which a way to the shown one is looked for
}

/** What the address of the activity says: which transactions are shown. */
export interface ActivitySearch {
  under?: string;
  kind?: string;
  principal?: string;
  from?: string;
  to?: string;
}

/** What the address of the audit says: which records are shown. */
export interface AuditSearch {
  principal?: string;
  action?: string;
  kind?: string;
  under?: string;
  from?: string;
  to?: string;
}

/** What the address of the change sets says: which are listed, or which one is reviewed and how it is looked at. */
export interface ChangeSetsSearch {
  state?: string;
  author?: string;
  name?: string;
  tab?: string;
  view?: string;
}
