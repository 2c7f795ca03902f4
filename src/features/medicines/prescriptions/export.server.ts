import { drugName } from '~/features/medicines/drugs/drug'
import { exportHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { itemStatusLabel, priorityLabel, statusLabel } from '~/records/prescription'
import { strength } from '~/records/strength'
import { auditExport } from '~/server/audit'
import type { ColumnKind, ListSheet } from '~/server/list-file.server'
import { type Context, mutation } from '~/server/operation'
import { countTotal } from '~/server/paged'
import { patientsOfList } from '~/server/shown'
import { mayAnywhere } from '~/shared/actor'
import type { Language, MessageKey } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { clinicTimeZone, wallTime } from '~/shared/zone'
import { type Item, loadPrescriptionItems } from './items.server'
import {
  asPrescription,
  filterCondition,
  prescriptionOrder,
  selectPrescriptions,
} from './listing.server'
import { ExportPrescriptions } from './prescription-listing'
import { parseFreeText } from './check/text-lines'

const BATCH = 500

type Selection = Omit<ExportPrescriptions, 'format' | 'language'>

/**
 * Only prescriptions that the user may see, of patients cared for in a clinic where the user may
 * download.
 */
const toExport = async (ctx: Context, filter: Selection) =>
  ctx.db
    .selectFrom('prescriptions')
    .innerJoin('patients', 'patients.id', 'prescriptions.patient_id')
    .leftJoin('users as provider', 'provider.id', 'prescriptions.provider_id')
    .where('prescriptions.is_deleted', '=', false)
    .where(await filterCondition(ctx, filter))
    .where(patientsWhere(exportHistory, ctx.actor, 'prescriptions.patient_id'))

/** Returns how many lines the file would hold, and writes the export into the audit trail. */
export const exportPrescriptions = mutation('prescriptions.export', {
  access: 'export',
  input: ExportPrescriptions,
  allow: ({ actor }) =>
    mayAnywhere(actor, 'can_view_history', 'can_dispense_medications') &&
    mayAnywhere(actor, 'can_download_patient_reports'),
  async run(ctx, { format, language, ...filter }) {
    const found = await toExport(ctx, filter)
    const total = await countTotal(
      found.leftJoin('prescription_items as i', (join) =>
        join.onRef('i.prescription_id', '=', 'prescriptions.id').on('i.is_deleted', '=', false),
      ),
    )
    await auditExport(ctx, 'prescriptions', { format, language, total, ...filter })
    return { total }
  },
  async shows(_, { ctx, input: { format: _format, language: _language, ...filter } }) {
    const found = await toExport(ctx, filter)
    return patientsOfList(await found.select('prescriptions.patient_id').distinct().execute())
  },
})

/** A line for each medicine, in the list's order. */
export async function prescriptionSheet(
  ctx: Context,
  { format: _, language, ...filter }: ExportPrescriptions,
): Promise<ListSheet> {
  const ordered = (await toExport(ctx, filter))
    .select('prescriptions.id')
    .orderBy(prescriptionOrder(filter.sort, filter.direction))
    .orderBy('prescriptions.id')
  const ids = (await ordered.execute()).map(({ id }) => id)
  const say = inWords(language)
  async function* rows() {
    for (let at = 0; at < ids.length; at += BATCH)
      yield* readExportLines(ctx, ids.slice(at, at + BATCH), say)
  }
  return {
    title: say('prescriptions.title'),
    headings: ['ID', ...HEADINGS.map(say)],
    rows: rows(),
    kinds: ['text', ...HEADINGS.map((key) => KINDS[key] ?? ('text' as const))],
  }
}

const HEADINGS: MessageKey[] = [
  'prescriptions.prescribedAt',
  'prescriptions.patient',
  'prescriptions.provider',
  'prescriptions.pickupClinic',
  'prescriptions.priority',
  'prescriptions.status',
  'prescriptions.expirationDate',
  'prescriptions.notes',
  'prescriptions.medication',
  'prescriptions.dosage',
  'prescriptions.form',
  'prescriptions.dosageInstructions',
  'prescriptions.quantity',
  'prescriptions.handedOut',
  'prescriptions.refills',
  'prescriptions.itemStatus',
  'prescriptions.itemNotes',
]

const KINDS: Partial<Record<MessageKey, ColumnKind>> = {
  'prescriptions.prescribedAt': 'moment',
  'prescriptions.expirationDate': 'day',
  'prescriptions.quantity': 'number',
  'prescriptions.handedOut': 'number',
  'prescriptions.refills': 'number',
}

type Say = (key: MessageKey) => string

/** The same few words are on every line: each is translated once. */
function inWords(language: Language): Say {
  const known = new Map<MessageKey, string>()
  return (key) => {
    const word = known.get(key) ?? sentence(language, { key })
    known.set(key, word)
    return word
  }
}

async function* readExportLines({ db }: Context, ids: string[], say: Say) {
  const found = selectPrescriptions(db)
    .select('prescriptions.items as stored_items')
    .where('prescriptions.id', 'in', ids)
  const [rows, items] = await Promise.all([found.execute(), loadPrescriptionItems(db, ids)])
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const id of ids) {
    const row = byId.get(id)
    // deleted since the file was begun
    if (!row) continue
    const start = prescriptionCells(asPrescription(row), say)
    const medicines = items.get(id)?.map((item) => medicineCells(item, say)) ?? [
      fromPhone(row.stored_items),
    ]
    for (const medicine of medicines) yield [...start, ...medicine]
  }
}

/** The clinic's own clock, as on every screen. */
const prescriptionCells = (row: ReturnType<typeof asPrescription>, say: Say): string[] => [
  row.id,
  wallTime(row.prescribed_at, clinicTimeZone()).replace('T', ' '),
  row.patient,
  row.provider ?? '',
  row.clinic ?? '',
  say(priorityLabel(row.priority)),
  say(statusLabel(row.status)),
  row.expiration_date ?? '',
  row.notes,
]

const medicineCells = (item: Item, say: Say): string[] => [
  drugName(item),
  strength(item, (unit) => say(unit as MessageKey)),
  say(`drugs.form_${item.form}` as MessageKey),
  item.dosage_instructions,
  String(item.quantity_prescribed),
  String(item.quantity_dispensed),
  String(item.refills_authorized),
  say(itemStatusLabel(item.item_status)),
  item.notes ?? '',
]

/** Free text from a phone is not in the catalogue: it is in the column of the medicine. */
const fromPhone = (stored: unknown): string[] => [
  parseFreeText(stored).join('; '),
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
]
