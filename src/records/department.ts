import { boolean, longText, optional, tags, text } from '~/fields/field'
import { record } from './record'

export const departmentRecord = record('clinic_departments', {
  name: { field: text('departments.name', { requiredMessage: 'departments.nameRequired' }) },
  code: { field: optional(text('departments.code', { max: 20, hint: 'departments.codeHint' })) },
  description: { field: optional(longText('departments.description')) },
  can_dispense_medications: { field: boolean('departments.can_dispense_medications') },
  can_perform_labs: { field: boolean('departments.can_perform_labs') },
  can_perform_imaging: { field: boolean('departments.can_perform_imaging') },
  additional_capabilities: {
    field: tags('departments.additional_capabilities', { hint: 'departments.additionalHint' }),
  },
})
