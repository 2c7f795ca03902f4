/** Of a row that was taken from a document of another program: its mark in `metadata.document`. */
export type FromDocument = {
  /** Who wrote the document; null: it does not say. */
  from: string | null
  /** The date of the document, as it says it. */
  on: string | null
  file: string
  /** A year or a month, which no column of a day holds. */
  when?: string
  /** The same of its end. */
  until?: string
}
