import { csvLine } from '~/shared/csv'
import { seededRandom } from '../seed/random'
import { regions } from '../seed/names'
import seeded from '../seed/medicines.json'

/** A list as a clinic keeps it, and what its rows do. */
export type WrittenList = {
  name: 'patients' | 'medicines'
  file: string
  rows: number
  content: Buffer
}

/** Of a patient of the clinic that the list names with another phone. */
export type KnownPatient = {
  external_patient_id: string | null
  given_name: string
  surname: string
  date_of_birth: string | null
  sex: string | null
}

/** One row in so many cannot be read, and one repeats the row before it. */
const UNREADABLE = 97
const REPEATED = 101

/** People: the first are known to the clinic and have a new phone. */
export function peopleList(rows: number, known: readonly KnownPatient[]): WrittenList {
  const random = seededRandom('prove imports', 'people')
  const lines = Array.from({ length: rows }, (_, at) => {
    const region = random.pick(regions)
    const sex = random.pick(['female', 'male'] as const)
    const birth = `${random.whole(1930, 2020)}-0${random.whole(1, 9)}-${random.whole(10, 28)}`
    const phone = `05${random.digits(8)}`
    const there = known[at]
    if (there)
      return [
        there.external_patient_id,
        there.given_name,
        there.surname,
        there.date_of_birth,
        there.sex,
        phone,
      ]
    return [
      `L-${String(at).padStart(7, '0')}`,
      random.pick(region[sex]),
      random.pick(region.family),
      at % UNREADABLE === 96 ? '1990-02-31' : birth,
      sex,
      phone,
    ]
  })
  return written('patients', lines, [
    'File number',
    'Given name',
    'Surname',
    'Date of birth',
    'Sex',
    'Phone',
  ])
}

/** Medicines: the first are those of the seed, which the clinic has, with a manufacturer. */
export function medicinesList(rows: number): WrittenList {
  const random = seededRandom('prove imports', 'medicines')
  const lines = Array.from({ length: rows }, (_, at) => {
    const drug = seeded.rows[at % seeded.rows.length]!
    const isKnown = at < seeded.rows.length
    const price = random.whole(1, 500)
    return [
      at % UNREADABLE === 96 && !isKnown ? '' : drug.name,
      at % UNREADABLE === 96 && !isKnown
        ? ''
        : isKnown
          ? ((drug as { brand?: string }).brand ?? '')
          : `Brand ${String(at).padStart(6, '0')}`,
      `${drug.strength} ${drug.unit}`,
      drug.form,
      drug.route,
      'A manufacturer',
      price,
    ]
  })
  return written('medicines', lines, [
    'Generic name',
    'Brand name',
    'Strength',
    'Form',
    'Route',
    'Manufacturer',
    'Price',
  ])
}

type Cells = readonly (string | number | null)[]

function written(name: WrittenList['name'], lines: readonly Cells[], headings: readonly string[]) {
  const rows = lines.map((line, at) => (at > 0 && at % REPEATED === 0 ? lines[at - 1]! : line))
  return {
    name,
    file: `${name}.csv`,
    rows: rows.length,
    content: Buffer.from(
      [headings, ...rows].map((cells) => csvLine(cells.map((cell) => String(cell ?? '')))).join(''),
    ),
  }
}
