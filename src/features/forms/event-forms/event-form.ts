import * as z from 'zod'
import { number } from '~/fields/field'
import { Definition, definitionShape } from '~/forms/checked-definition'
import { eventFormRecord } from '~/records/event-form'
import { type Actor, isAdmin } from '~/shared/actor'
import { LANGUAGES } from '~/shared/language'
import { ListInput, Saved } from '~/shared/record'

const MOST_CLINICS = 200

const flag = z.boolean('validation.wrongType')
/** The clinics of the form; none means every clinic, which only administrators may choose. */
const clinicIds = z
  .array(z.uuid('validation.id'), 'validation.wrongType')
  .max(MOST_CLINICS, 'validation.tooMany')
  .transform((ids) => [...new Set(ids)])

/** A definition is checked as a whole as well, hence the pipe. */
export const SaveEventForm = Saved.extend({
  ...definitionShape,
  is_editable: eventFormRecord.fields.is_editable.schema,
  is_snapshot_form: eventFormRecord.fields.is_snapshot_form.schema,
  clinic_ids: clinicIds,
}).superRefine((form, context) => {
  const whole = Definition.safeParse(form)
  if (whole.success) return
  // the fields' own errors are reported already
  for (const { path, message } of whole.error.issues) {
    if (path[0] === 'translations' || path.length === 1)
      context.addIssue({ code: 'custom', path, message })
  }
})

export const EventFormId = z.object({ id: z.uuid('validation.id') })
export const FormSwitchInput = EventFormId.extend({ on: flag })
export const ListEventForms = ListInput.extend({
  clinicId: z.uuid('validation.id').optional(),
  language: z.enum(LANGUAGES, 'validation.option').optional(),
})
export const CopyEventForm = EventFormId.extend({
  copyId: z.uuid('validation.id'),
  name: definitionShape.name,
})

const version = z
  .number('validation.wrongType')
  .int('validation.wrongType')
  .min(1, 'validation.tooSmall')
  .max(1e6, 'validation.tooLarge')
export const FormVersion = EventFormId.extend({ version })
export const CompareVersions = EventFormId.extend({ from: version, to: version })
export const ListFormVersions = ListInput.pick({ page: true }).extend(EventFormId.shape)

export const StarterKey = z.object({
  key: z.string('validation.wrongType').max(100, 'validation.tooLong'),
})
export const InstallStarter = StarterKey.extend({
  id: z.uuid('validation.id'),
  clinic_ids: clinicIds,
})

const { name, language, is_editable, is_snapshot_form } = eventFormRecord.fields
export const eventFormColumns = {
  name,
  language,
  fields: number('eventForms.fields'),
  answers: number('eventForms.answers'),
  is_editable,
  is_snapshot_form,
}

/** A form as screens read it: its definition, and how it may be used. */
export type EventForm = Definition & {
  id: string
  is_editable: boolean
  is_snapshot_form: boolean
  clinic_ids: string[]
  version: number
  /** How many answers have been given so far, whatever the version. */
  answers: number
  last_modified: Date
}

/**
 * A form is changed by administrators of every clinic that it is for; one for all clinics by
 * administrators.
 */
export const mayAdminister = (actor: Actor, ids: readonly string[]) =>
  isAdmin(actor) ||
  (ids.length > 0 && ids.every((id) => actor.grants[id]?.includes('is_clinic_admin') ?? false))
