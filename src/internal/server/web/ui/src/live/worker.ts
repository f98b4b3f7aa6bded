import { Hub } from "./hub";
import { openStream } from "./open";
import type { Order } from "./messages";

/** Runs once for all windows of a browser. */
const hub = new Hub(openStream);

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.addEventListener("message", ({ data }: MessageEvent<Order>) => hub.order(port, data));
  port.start();
  port.postMessage({ lost: false }); // it works
});
