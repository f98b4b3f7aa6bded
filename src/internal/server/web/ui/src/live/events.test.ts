import { expect, test } from "vitest";
import { readEvents } from "./events";

test.each([
  { name: "an event", parts: ["event: ready\nid: 7\ndata: {}\n\n"], want: [{ name: "ready", id: "7", data: "{}" }] },
  { name: "in parts", parts: ["event: rea", "dy\nid: 7\nda", "ta: {}\n", "\n"], want: [{ name: "ready", id: "7", data: "{}" }] },
  { name: "two at once", parts: ["data: 1\n\ndata: 2\n\n"], want: [{ name: "message", data: "1" }, { name: "message", data: "2" }] },
  { name: "a comment", parts: [": still here\n\ndata: 1\n\n"], want: [{ name: "message", data: "1" }] },
  { name: "colons in the data", parts: ['data: {"a":"b:c"}\n\n'], want: [{ name: "message", data: '{"a":"b:c"}' }] },
  { name: "an event that is cut", parts: ["data: 1\n\ndata: 2"], want: [{ name: "message", data: "1" }] },
])("server-sent events: $name", async ({ parts, want }) => {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      controller.close();
    },
  });
  const got = [];
  for await (const event of readEvents(body)) got.push(event);
  expect(got).toEqual(want);
});
