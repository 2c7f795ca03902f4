/** Excel takes a CSV file for the code page of the machine unless it begins so. */
export const BYTE_ORDER_MARK = '\uFEFF'

/**
 * A line of CSV (RFC 4180). A text that a spreadsheet would read as a formula gets an apostrophe in front, as OWASP
 * advises ("CSV Injection"): a patient registered as `=HYPERLINK(…)` must not run anything when the file is opened.
 * A phone number or a signed number can call no function, so it stays as it is.
 */
export const csvLine = (values: readonly string[]) => `${values.map(cell).join(',')}\r\n`

const SIGNED_DIGITS = /^[+-][0-9 ()-]+$/

function cell(value: string): string {
  // also in front of an existing apostrophe, or reading back could not tell which one was added
  const isFormula = /^'*[=+\-@\t\r]/.test(value) && !SIGNED_DIGITS.test(value)
  const text = isFormula ? `'${value}` : value
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The value of a cell before the apostrophe was added. */
export const fromCell = (text: string) => (/^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text)
