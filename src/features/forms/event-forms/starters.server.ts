import { isDeepStrictEqual } from 'node:util'
import { v5 } from 'uuid'
import { bindForm } from './starter-bindings.server'
import type { Definition } from '~/forms/checked-definition'
import { isLayout } from '~/forms/field-kinds'
import type { Starter } from '~/forms/starter-read'
import { STARTERS, withOwnIds } from '~/forms/starters'
import { localized } from '~/forms/translations'
import { mutation, NoInput, query } from '~/server/operation'
import { AppError, notFound } from '~/shared/errors'
import { type EventForm, EventFormId, InstallStarter, StarterKey } from './event-form'
import { readForm, saveForm, writesForms } from './event-forms.server'

/** The forms of the library, by name, as the reader's language has them. */
export const listStarters = query('eventForms.starters', {
  input: NoInput,
  allow: writesForms,
  run: async ({ actor }) =>
    STARTERS.map(({ key, form }) => {
      const { name, description, form_fields } = localized(form, actor.language)
      return {
        id: key,
        name,
        description,
        fields: form_fields.filter(({ fieldType }) => !isLayout(fieldType)).length,
      }
    }),
})

/** One form of the library, whole, to look at before it is installed. */
export const getStarter = query('eventForms.starter', {
  input: StarterKey,
  allow: writesForms,
  run: async (_, { key }) => requireStarter(key),
})

/** Installs a form of the library, in the language and for the clinics of the caller. */
export const installStarter = mutation('eventForms.installStarter', {
  input: InstallStarter,
  allow: writesForms,
  async run(ctx, { key, id, clinic_ids }) {
    // the same ids for each call, so that a repeated request makes one form
    const form = withOwnIds(requireStarter(key), (fieldId) => v5(fieldId, id))
    const saved = await saveForm(ctx, {
      id,
      ...form,
      is_editable: true,
      is_snapshot_form: false,
      clinic_ids,
    })
    await bindForm(ctx.db, id)
    return saved
  },
})

/**
 * Whether the library has a newer text of an installed form that is unchanged since its
 * installation.
 */
export const getStarterUpdate = query('eventForms.starterUpdate', {
  reads: ['event_forms'],
  looksUp: ['events'],
  input: EventFormId,
  allow: writesForms,
  async run(ctx, { id }) {
    const update = starterUpdate(await readForm(ctx, id))
    return {
      available: update !== null,
      name: update && localized(update, ctx.actor.language).name,
    }
  },
})

/**
 * Saves the library's newer text as the form's next version. Answers keep the version they were
 * given on.
 */
export const updateFromStarter = mutation('eventForms.updateFromStarter', {
  input: EventFormId,
  allow: writesForms,
  async run(ctx, { id }) {
    const form = await readForm(ctx, id)
    const update = starterUpdate(form)
    if (!update) throw new AppError('conflict', { key: 'eventForms.noUpdate' })
    const { last_modified, is_editable, is_snapshot_form, clinic_ids } = form
    const saved = await saveForm(ctx, {
      id,
      last_modified,
      ...update,
      is_editable,
      is_snapshot_form,
      clinic_ids,
    })
    await bindForm(ctx.db, id)
    return saved
  },
})

/**
 * The library's text for a form installed from it, with the form's own ids; null if the form came
 * from elsewhere, was changed since, or is up to date. The ids of its fields follow from the
 * library's and identify it.
 */
function starterUpdate(form: EventForm): Definition | null {
  if (form.version !== 1) return null
  const ids = new Set(form.form_fields.map(({ id }) => id))
  const own = (fieldId: string) => v5(fieldId, form.id)
  const shared = (starter: Starter) =>
    starter.form.form_fields.filter(({ id }) => ids.has(own(id))).length
  const [origin] = STARTERS.toSorted((a, b) => shared(b) - shared(a))
  if (!origin || shared(origin) < ids.size / 2) return null
  const update = withOwnIds(origin.form, own)
  return isDeepStrictEqual(plain(update.form_fields), plain(form.form_fields)) ? null : update
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function requireStarter(key: string) {
  const found = STARTERS.find((starter) => starter.key === key)
  if (!found) throw notFound('eventForms.notFound')
  return found.form
}
