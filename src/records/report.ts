import { optional, reference, text } from '~/fields/field'
import { record } from './record'

const concept = text('reportBindings.concept', { max: 100, hint: 'reportBindings.conceptHint' })

export const reportBindingRecord = record('report_bindings', {
  concept: {
    field: {
      ...concept,
      schema: concept.schema.regex(
        /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/,
        'reportBindings.conceptForm',
      ),
    },
  },
  clinic_id: { field: optional(reference('reportBindings.clinic_id')) },
  form_id: { field: reference('reportBindings.form_id') },
  field_id: { field: optional(text('reportBindings.field_id', { max: 100 })) },
  option: { field: optional(text('reportBindings.option', { hint: 'reportBindings.optionHint' })) },
  // the answer counts only beside this answer of another question
  when_field_id: {
    field: optional(text('reportBindings.when_field_id', { max: 100 })),
    keptIfAbsent: true,
  },
  when_option: { field: optional(text('reportBindings.when_option')), keptIfAbsent: true },
})
