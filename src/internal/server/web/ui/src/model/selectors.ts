/** Takes their meaning away from the characters of a field selector. */
export function escapeField(text: string): string {
  return text.replace(/[\\,=!\s]/g, (c) => `\\${c}`);
}
