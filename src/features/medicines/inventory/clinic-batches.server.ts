import { titleColumns, TITLE_COLUMNS } from '~/records/strength'
import { sql } from 'kysely'
import { drugsLike } from '~/features/medicines/drugs/drugs.server'
import { inClinic } from '~/policy/on.server'
import { workAt } from '~/policy/rules'
import { query } from '~/server/operation'
import { byName } from '~/server/scope'
import { ListClinicBatches } from './inventory'
import { barred } from './changes/picking'
import { loadDailyStock } from './ledger/daily.server'
import { clinicToday } from '~/shared/zone'

/** Every batch of a clinic, medicine by medicine, in the order of a walk along the shelves. */
export const listClinicBatches = query('batches.inClinic', {
  input: ListClinicBatches,
  on: inClinic(workAt),
  async run({ db }, { clinicId, searchQuery, withEmpty, day, limit, offset }) {
    const rows = await db
      .selectFrom('clinic_inventory as i')
      .innerJoin('drug_batches as b', 'b.id', 'i.batch_id')
      .innerJoin(
        (eb) =>
          eb
            .selectFrom('drug_catalogue')
            .select(['id', ...TITLE_COLUMNS, 'form', 'is_controlled'])
            .where('is_deleted', '=', false)
            .$if(!!searchQuery, (q) => q.where(drugsLike(searchQuery!)))
            .as('d'),
        (join) => join.onRef('d.id', '=', 'i.drug_id'),
      )
      .where('i.clinic_id', '=', clinicId)
      .where('i.is_deleted', '=', false)
      .$if(!withEmpty, (q) => q.where('i.quantity_available', '>', 0))
      .select(['i.batch_id as id', 'i.drug_id', ...titleColumns('d')])
      .select(['d.form', 'd.is_controlled', 'b.batch_number', 'b.expiry_date', 'b.is_quarantined'])
      .select(['i.quantity_available', 'i.reserved_quantity', 'i.last_counted_at'])
      .select(sql<number>`count(*) over ()`.as('total'))
      .orderBy(byName('d.generic_name'))
      .orderBy('d.dosage_quantity')
      .orderBy('i.drug_id')
      .orderBy('b.expiry_date')
      .orderBy('i.batch_id')
      .limit(limit)
      .offset(offset)
      .execute()
    const today = clinicToday()
    const drugIds = [...new Set(rows.map(({ drug_id }) => drug_id))]
    const then = day && day < today ? await loadDailyStock(db, clinicId, drugIds, day) : null
    const batches = rows.map(({ total: _total, ...row }) => ({
      ...row,
      quantity_available: then && day ? then.on(row.id, day) : row.quantity_available,
      barred: barred(row, today),
    }))
    return { batches, total: rows[0]?.total ?? 0 }
  },
})
export type ClinicBatch = Awaited<ReturnType<typeof listClinicBatches>>['batches'][number]
