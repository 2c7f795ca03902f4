import { boolean, longText, optional, tags, text } from '~/fields/field'
import { record } from './record'

export const departmentRecord = record('clinic_departments', {
  clinic_id: { device: 'id' },
  name: {
    field: text('departments.name', { requiredMessage: 'departments.nameRequired' }),
    device: 'requiredText',
  },
  code: {
    field: optional(
      text('departments.code', { max: 20, hint: 'departments.codeHint', isCode: true }),
    ),
    device: 'text?',
  },
  description: { field: optional(longText('departments.description')), device: 'text?' },
  status: { device: 'requiredText' },
  can_dispense_medications: {
    field: boolean('departments.can_dispense_medications'),
    device: 'boolean',
  },
  can_perform_labs: { field: boolean('departments.can_perform_labs'), device: 'boolean' },
  can_perform_imaging: { field: boolean('departments.can_perform_imaging'), device: 'boolean' },
  additional_capabilities: {
    field: tags('departments.additional_capabilities', { hint: 'departments.additionalHint' }),
    device: 'list',
  },
  metadata: { device: 'json' },
})
