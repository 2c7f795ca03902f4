/** A day, or midnight in the zone of the writer, by which programs write a day. */
export const standsForDay = (text: string) =>
  /^\d{4}-\d\d-\d\d(?:T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)

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
