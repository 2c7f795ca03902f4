/** A line of CSV (RFC 4180). What a spreadsheet would run as a formula is made text by an apostrophe. */
export const csvLine = (values: readonly string[]) => `${values.map(cell).join(',')}\r\n`

const cell = (value: string) => {
  // also in front of an apostrophe that stands so already, or what was written could not be told from what was added
  const text = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** What stood in the cell before it was made text. */
export const fromCell = (text: string) => (/^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text)

/** The two columns that a list of rejected rows has beside the file's own; they are passed over when it comes back. */
export const REJECTED_COLUMNS = ['Sanad: line', 'Sanad: reason'] as const
