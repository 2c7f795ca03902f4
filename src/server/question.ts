/**
 * What the input of a read names, for the access log (docs/decisions/0028): ids, which may be of a patient or of a
 * patient's record, and texts that may equal a patient's number. They are found by their form, so that a new filter
 * needs no entry here.
 */
export type LoggedQuery = {
  ids: readonly string[]
  numbers: readonly string[]
  /** Ids of entries of the audit trail. */
  changes: readonly string[]
}

const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Ids of one call that are looked up: more than any list of an input may hold. */
const MOST_IDS = 1_000
const MOST_NUMBERS = 500
/** Longer texts are no number of a patient. */
const LONGEST_NUMBER = 100

/** Fields whose text may be an identifier, a medical record number, a phone or the number of a referral. */
export const NUMBER_FIELDS: ReadonlySet<string> = new Set([
  'external_patient_id',
  'government_id',
  'number',
  'phone',
  'search',
  'searchQuery',
])

/** Fields whose ids are of clinics, of users or of what a clinic keeps, and the place where a page begins. */
export const FIELDS_OF_NO_PATIENT =
  /^(after|(batch|clinic|definition|department|drug|form|provider|run|user)(Ids?|_ids?))$/

export function readQuestion(input: unknown): LoggedQuery {
  const [ids, numbers] = [new Set<string>(), new Set<string>()]
  const left: [field: string, value: unknown][] = [['', input]]
  for (;;) {
    const next = left.pop()
    if (!next || ids.size >= MOST_IDS) break
    const [field, value] = next
    if (typeof value === 'string') {
      for (const [id] of value.matchAll(UUIDS)) ids.add(id.toLowerCase())
      if (NUMBER_FIELDS.has(field)) addNumber(numbers, value)
    } else if (Array.isArray(value)) for (const each of value) left.push([field, each])
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value))
        if (!FIELDS_OF_NO_PATIENT.test(name)) left.push([name, each])
  }
  return { ids: [...ids].slice(0, MOST_IDS), numbers: [...numbers], changes: [] }
}

/** The same question with further ids and numbers, which its input holds in another form. */
export function alsoNaming(
  { ids, numbers, changes }: LoggedQuery,
  more: Partial<LoggedQuery>,
): LoggedQuery {
  const all = new Set(numbers)
  for (const number of more.numbers ?? []) addNumber(all, number)
  return {
    ids: [...new Set([...ids, ...(more.ids ?? [])])],
    numbers: [...all],
    changes: [...new Set([...changes, ...(more.changes ?? [])])],
  }
}

function addNumber(numbers: Set<string>, text: string) {
  const number = text.trim()
  if (number === '' || number.length > LONGEST_NUMBER || number.includes('\0')) return
  if (numbers.size < MOST_NUMBERS) numbers.add(number)
}
