import { boolean, select, text } from '~/fields/field'
import { type Language, LANGUAGES } from '~/shared/language'
import { record } from './record'

/**
 * The form engine checks `form_fields` and `translations` as one definition, so these two have no
 * field.
 */
export const eventFormRecord = record('event_forms', {
  name: { field: text('eventForms.name'), device: 'requiredText' },
  description: { device: 'requiredText' },
  language: {
    field: select(
      'eventForms.language',
      LANGUAGES,
      (language: Language) => `account.language_${language}` as const,
    ),
    device: 'requiredText',
  },
  is_editable: { field: boolean('eventForms.is_editable'), device: 'boolean' },
  is_snapshot_form: { field: boolean('eventForms.is_snapshot_form'), device: 'boolean' },
  form_fields: { device: 'json' },
  metadata: { device: 'json' },
  clinic_ids: { device: 'list' },
  translations: { device: 'json' },
})
