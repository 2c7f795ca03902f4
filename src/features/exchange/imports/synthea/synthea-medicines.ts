import { recognize } from '~/features/medicines/safety/rules/substances'
import { readRxNorm } from './rxnorm'
import { ownOrStableId, stableId } from '../stable-id'
import {
  isMoment,
  parseSyntheaMoment,
  PATIENT,
  type SyntheaReading,
  rest,
  type SyntheaFile,
  type SyntheaRow,
  collapseSpaces,
  VISIT,
  wrong,
} from './synthea'
import type { ImportedRecord, TargetTable } from '../write.server'

/**
 * A row of medications.csv: a prescription of one medicine, and the medicine's entry in the
 * catalogue.
 */
type MedicationReading = SyntheaReading & { drug?: ImportedRecord; item?: ImportedRecord }

export const MEDICATION_COLUMNS = ['START', 'PATIENT', 'CODE', 'DESCRIPTION'] as const

/** Imported prescriptions were dispensed elsewhere, so they do not wait for dispensing here. */
const STATUS = 'picked-up'

const medicationRest = [
  'CODE',
  'DESCRIPTION',
  'DISPENSES',
  'PAYER',
  'BASE_COST',
  'PAYER_COVERAGE',
  'TOTALCOST',
  'REASONCODE',
  'REASONDESCRIPTION',
  'STOP',
]

export function readMedication(row: SyntheaRow): MedicationReading {
  const [start, stop, code, name] = [row('START'), row('STOP'), row('CODE'), row('DESCRIPTION')]
  if (!code) return wrong('imports.reasons.missing', { column: 'CODE' })
  if (!name) return wrong('imports.reasons.missing', { column: 'DESCRIPTION' })
  if (!isMoment(start)) return wrong('imports.reasons.date', { value: start, column: 'START' })
  if (stop && !isMoment(stop)) return wrong('imports.reasons.date', { value: stop, column: 'STOP' })
  const encounter = row('ENCOUNTER')
  const patient_id = ownOrStableId(PATIENT, row('PATIENT'))
  // a medication has no id of its own; one that was given at once may be prescribed from then on,
  // too
  const words = [row('PATIENT'), encounter, code, start, ...(stop === start ? ['at once'] : [])]
  const id = stableId('synthea.medication', ...words)
  const drug_id = stableId('synthea.drug', code)
  const stamps = {
    created_at: parseSyntheaMoment(start),
    updated_at: parseSyntheaMoment(stop || start),
  }
  const fills = Number(row('DISPENSES'))
  return {
    record: {
      id,
      patient_id,
      visit_id: encounter ? ownOrStableId(VISIT, encounter) : null,
      priority: 'normal',
      prescribed_at: parseSyntheaMoment(start),
      status: STATUS,
      notes: collapseSpaces(row('REASONDESCRIPTION')) ?? '',
      metadata: { synthea: { encounter } },
      ...stamps,
    },
    drug: {
      id: drug_id,
      ...readRxNorm(name),
      is_active: true,
      metadata: { synthea: { rxnorm: code, description: name } },
      ...stamps,
    },
    item: {
      id: stableId('synthea.medication.item', ...words),
      prescription_id: id,
      patient_id,
      drug_id,
      // the source says how often it was fetched, neither how much nor how to take it
      dosage_instructions: '',
      quantity_prescribed: 1,
      refills_authorized: Number.isInteger(fills) && fills > 1 ? Math.min(fills - 1, 1000) : 0,
      item_status: stop ? 'completed' : 'active',
      metadata: { synthea: rest(row, medicationRest) },
      ...stamps,
    },
  }
}

const stamps = { created_at: 'timestamptz(3)', updated_at: 'timestamptz(3)' }

export const prescriptionTarget: TargetTable = {
  table: 'prescriptions',
  columns: {
    patient_id: 'uuid',
    pickup_clinic_id: 'uuid',
    visit_id: 'uuid',
    priority: 'text',
    prescribed_at: 'timestamptz(3)',
    status: 'text',
    notes: 'text',
    metadata: 'jsonb',
    ...stamps,
  },
  incomparable: ['pickup_clinic_id', 'visit_id', 'metadata', 'created_at', 'updated_at'],
}
export const itemTarget: TargetTable = {
  table: 'prescription_items',
  columns: {
    prescription_id: 'uuid',
    patient_id: 'uuid',
    drug_id: 'uuid',
    clinic_id: 'uuid',
    dosage_instructions: 'text',
    quantity_prescribed: 'numeric',
    refills_authorized: 'integer',
    item_status: 'text',
    metadata: 'jsonb',
    ...stamps,
  },
  incomparable: ['clinic_id', 'metadata', 'created_at', 'updated_at'],
}
export const drugTarget: TargetTable = {
  table: 'drug_catalogue',
  columns: {
    generic_name: 'text',
    brand_name: 'text',
    ingredients: 'text[]',
    form: 'text',
    route: 'text',
    dosage_quantity: 'numeric',
    dosage_units: 'text',
    is_active: 'boolean',
    metadata: 'jsonb',
    ...stamps,
  },
  incomparable: ['metadata', 'created_at', 'updated_at'],
}

const severities = ['MILD', 'MODERATE', 'SEVERE']
/** "Latex (substance)", "Wheal (finding)": what SNOMED CT calls the kind of the thing. */
const withoutTag = (name: string) => collapseSpaces(name.replace(/\s*\([a-z ]+\)\s*$/i, ''))

const allergyRest = [
  'CODE',
  'SYSTEM',
  'DESCRIPTION',
  'TYPE',
  'CATEGORY',
  'REACTION1',
  'SEVERITY1',
  'REACTION2',
  'SEVERITY2',
  'STOP',
  'ENCOUNTER',
]

export const allergiesFile: SyntheaFile = {
  needs: ['START', 'PATIENT', 'CODE', 'DESCRIPTION'],
  target: {
    table: 'patient_allergies',
    columns: {
      patient_id: 'uuid',
      substance: 'text',
      substance_kind: 'text',
      substance_code: 'text',
      reaction: 'text',
      severity: 'text',
      status: 'text',
      metadata: 'jsonb',
      ...stamps,
    },
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  read(row) {
    const [start, stop, code] = [row('START'), row('STOP'), row('CODE')]
    const substance = withoutTag(row('DESCRIPTION'))
    if (!code) return wrong('imports.reasons.missing', { column: 'CODE' })
    if (!substance) return wrong('imports.reasons.missing', { column: 'DESCRIPTION' })
    if (!isMoment(start)) return wrong('imports.reasons.date', { value: start, column: 'START' })
    if (stop && !isMoment(stop))
      return wrong('imports.reasons.date', { value: stop, column: 'STOP' })
    const worst = Math.max(
      severities.indexOf(row('SEVERITY1')),
      severities.indexOf(row('SEVERITY2')),
    )
    const isMedicine = row('CATEGORY') === 'medication' || row('SYSTEM') === 'RxNorm'
    return {
      record: {
        id: stableId('synthea.allergy', row('PATIENT'), code, start),
        patient_id: ownOrStableId(PATIENT, row('PATIENT')),
        substance,
        ...(isMedicine ? recognize(substance) : { substance_kind: 'other', substance_code: null }),
        reaction:
          [withoutTag(row('DESCRIPTION1')), withoutTag(row('DESCRIPTION2'))]
            .filter(Boolean)
            .join(', ') || null,
        severity: severities[worst]?.toLowerCase() ?? null,
        status: stop ? 'inactive' : 'active',
        metadata: { synthea: rest(row, allergyRest) },
        created_at: parseSyntheaMoment(start),
        updated_at: parseSyntheaMoment(stop || start),
      },
    }
  },
}
