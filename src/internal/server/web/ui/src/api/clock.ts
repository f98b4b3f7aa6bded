/** How far the clock of the server is ahead of that of the browser, in milliseconds, as the answers say; negative where it is behind. */
let ahead = 0;

/** Up to which difference the clocks count as the same: answers have full seconds, and take a while. */
const tolerance = 3_000;

/** Learns the time of the server from an answer. One that a cache gave says when it was made, not what time it is. */
export function noteTime({ headers }: { headers: Headers }, now = Date.now()): void {
  const time = Date.parse(headers.get("Date") ?? "");
  if (Number.isNaN(time) || headers.has("Age")) return;
  ahead = Math.abs(time - now) > tolerance ? time - now : 0;
}

/** What time it is for the server, which wrote all times that are shown: a clock of the browser may be wrong by hours. */
export function serverNow(): number {
  return Date.now() + ahead;
}
