/** One server-sent event. */
export interface ServerEvent {
  name: string;
  id?: string;
  data: string;
}

/** Reads server-sent events from a body until it ends. EventSource would do that, too, but cannot say who asks. Calls back at each part, also of a comment. */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>, onPart: () => void = () => undefined): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read(); // oxlint-disable-line no-await-in-loop -- the parts come one after the other
    if (done) return;
    onPart();
    const blocks = (text + value).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

/** Reads the lines of an event; none for a comment, which only keeps the connection open. */
function eventOf(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).replace(/^ /, ""));
  }
  return fields.size === 0 ? undefined : { name: fields.get("event") ?? "message", id: fields.get("id"), data: fields.get("data") ?? "" };
}
