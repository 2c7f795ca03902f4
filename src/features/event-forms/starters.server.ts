import { v5 } from 'uuid'
import { isLayout } from '~/forms/field-kinds'
import { STARTERS, withOwnIds } from '~/forms/starters'
import { localized } from '~/forms/translations'
import { mutation, Nothing, query } from '~/server/operation'
import { notFound } from '~/shared/errors'
import { InstallStarter, StarterKey } from './event-form'
import { saveForm, writesForms } from './event-forms.server'

/** The forms of the library, by name, as the reader's language has them. */
export const listStarters = query('eventForms.starters', {
  input: Nothing,
  allow: writesForms,
  run: async ({ actor }) =>
    STARTERS.map(({ key, form }) => {
      const { name, description, form_fields } = localized(form, actor.language)
      return { id: key, name, description, fields: form_fields.filter(({ fieldType }) => !isLayout(fieldType)).length }
    }),
})

/** One form of the library, whole, to look at before it is installed. */
export const getStarter = query('eventForms.starter', {
  input: StarterKey,
  allow: writesForms,
  run: async (_, { key }) => starterOf(key),
})

/** Makes a form of one's own out of one of the library, in the language and for the clinics of whoever installs it. */
export const installStarter = mutation('eventForms.installStarter', {
  input: InstallStarter,
  allow: writesForms,
  async run(ctx, { key, id, clinic_ids }) {
    // the same ids each time it is asked for, so that a repeated request makes one form
    const form = withOwnIds(starterOf(key), (fieldId) => v5(fieldId, id))
    return saveForm(ctx, { id, ...form, is_editable: true, is_snapshot_form: false, clinic_ids })
  },
})

function starterOf(key: string) {
  const found = STARTERS.find((starter) => starter.key === key)
  if (!found) throw notFound('eventForms.notFound')
  return found.form
}
