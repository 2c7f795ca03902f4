/** Excel takes a CSV file for the code page of the machine unless it begins so. */
export const BYTE_ORDER_MARK = '\uFEFF'

/**
 * A line of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front, as OWASP
 * advises ("CSV Injection"): whoever registered as `=HYPERLINK(…)` must not run anything on the desk of whoever opens
 * the file.
 */
export const csvLine = (values: readonly string[]) => `${values.map(cell).join(',')}\r\n`

function cell(value: string): string {
  // also in front of an apostrophe that stands so already, or what was written could not be told from what was added
  const text = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** What stood in the cell before it was made text. */
export const fromCell = (text: string) => (/^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text)
