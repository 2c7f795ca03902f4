import { sql } from 'kysely'
import { storedFields } from '~/forms/definition'
import { reportBindingRecord } from '~/records/report'
import { mutation, NoInput, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { type Actor, isAdmin } from '~/shared/actor'
import { invalid } from '~/shared/errors'
import { RecordId } from '~/shared/record'

const keepsBindings = ({ actor }: { actor: Actor }) => isAdmin(actor)

/** Which answers hold the concepts of reports, by concept. */
export const listBindings = query('reportBindings.list', {
  reads: ['report_bindings'],
  looksUp: ['clinics', 'event_forms'],
  input: NoInput,
  allow: keepsBindings,
  async run({ db }) {
    const rows = await db
      .selectFrom('report_bindings as binding')
      .innerJoin('event_forms as form', 'form.id', 'binding.form_id')
      .leftJoin('clinics', 'clinics.id', 'binding.clinic_id')
      .select([
        'binding.id',
        'concept',
        'binding.clinic_id',
        'form_id',
        'field_id',
        'option',
        'when_field_id',
        'when_option',
        'binding.last_modified',
      ])
      .select(['form.name as form', 'form.form_fields', 'clinics.name as clinic'])
      .select('form.is_deleted as isFormDeleted')
      .where('binding.is_deleted', '=', false)
      .orderBy('concept')
      .orderBy(sql`form.name collate names`)
      .orderBy('binding.id')
      .limit(5000)
      .execute()
    return rows.map(({ form_fields, ...row }) => {
      const fields = storedFields(form_fields)
      const boundFieldName = (fieldId: string | null) => {
        const field = fields.find(({ id }) => id === fieldId)
        return field && 'name' in field ? field.name : null
      }
      return {
        ...row,
        field: boundFieldName(row.field_id),
        when: boundFieldName(row.when_field_id),
      }
    })
  },
})
export type ListedBinding = Awaited<ReturnType<typeof listBindings>>[number]

/** The field must be of the form. */
export const saveBinding = mutation('reportBindings.save', {
  input: reportBindingRecord.save,
  allow: keepsBindings,
  async run(ctx, binding) {
    const form = await ctx.db
      .selectFrom('event_forms')
      .select('form_fields')
      .where('id', '=', binding.form_id)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!form) throw invalid({ form_id: { key: 'eventForms.notFound' } })
    const fields = new Set(storedFields(form.form_fields).map(({ id }) => id))
    for (const [field, option] of [
      ['field_id', 'option'],
      ['when_field_id', 'when_option'],
    ] as const) {
      const id = binding[field] ?? null
      if (id !== null && !fields.has(id)) throw invalid({ [field]: { key: 'validation.option' } })
      if (id === null && (binding[option] ?? null) !== null)
        throw invalid({ [option]: { key: 'reportBindings.optionOfField' } })
    }
    return saveRecord(ctx, 'report_bindings', binding)
  },
})

export const deleteBinding = mutation('reportBindings.delete', {
  input: RecordId,
  allow: keepsBindings,
  async run(ctx, { id }) {
    const row = await ctx.db
      .selectFrom('report_bindings')
      .select('concept')
      .where('id', '=', id)
      .executeTakeFirst()
    return deleteRecord(ctx, 'report_bindings', id, row?.concept ?? '')
  },
})
