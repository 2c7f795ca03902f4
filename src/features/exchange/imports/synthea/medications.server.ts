import { bringBatches, type Watch } from '../batches.server'
import type { Csv, CsvRow } from '../csv.server'
import { insertOfPatients } from './parents.server'
import type { SyntheaRow } from './synthea'
import { drugTarget, itemTarget, prescriptionTarget, readMedication } from './synthea-medicines'
import type { Tally } from '../tally'
import { type ImportedRecord, insertNew, type Steps } from '../write.server'

type Medications = { csv: Csv; rowOf: (row: CsvRow) => SyntheaRow; clinicId: string }

/**
 * Each row becomes a prescription with one item. A medicine missing from the catalogue is added
 * with it.
 */
export async function bringMedications(
  { csv, rowOf, clinicId }: Medications,
  tally: Tally,
  steps: Steps,
  watch: Watch,
): Promise<void> {
  await bringBatches(csv, tally, steps, watch, async (db, rows) => {
    const readings = rows.map((row) => readMedication(rowOf(row)))
    const records = readings.flatMap((reading) =>
      'record' in reading ? [Object.assign(reading.record, { pickup_clinic_id: clinicId })] : [],
    )
    const fates = await insertOfPatients(db, prescriptionTarget, records)
    const isNew = (record: ImportedRecord) => fates.get(record)?.outcome === 'imported'
    const fresh = readings.flatMap((reading) =>
      'record' in reading && isNew(reading.record) ? [reading] : [],
    )
    await insertNew(
      db,
      drugTarget,
      fresh.map(({ drug }) => drug!),
    )
    await insertNew(
      db,
      itemTarget,
      fresh.map(({ item }) => ({ ...item!, clinic_id: clinicId })),
    )
    return readings.map((reading) =>
      'record' in reading ? fates.get(reading.record)! : reading.fate,
    )
  })
}
