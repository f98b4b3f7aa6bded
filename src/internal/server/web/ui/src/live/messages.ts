/** What a window follows: one document, those below an id, or those of a kind. */
export interface Wish {
  id?: string; // of a document
  path?: string; // of that document in the API, which has a stream of its own while few documents are followed
  below?: string; // the beginning of ids
  kind?: string;
}

/** What a window says to what follows changes for it. */
export type Order =
  | { follow: number; wish: Wish } // a number of its own for each
  | { leave: number }
  | { token: string } // who asks, from now on
  | { paused: boolean } // nobody looks at the window
  | { retry: true } // the network is back
  | { bye: true };

/** What a window is told: a transaction as JSON, or without a text that something changed which is not known; whether the server answers. */
export type Report = { of: number; text?: string } | { lost: boolean };
