import * as z from 'zod'
import { LANGUAGES } from '~/shared/language'
import { EventFormField, MOST_FIELDS, Translation, boundedText } from './definition'
import { checkFields, checkTranslations } from './definition-checks'

/** The longest definition, in characters of JSON: 500 fields in three languages need far fewer. */
const LARGEST_FORM = 500_000

export const definitionShape = {
  name: boundedText(200).min(1, 'formBuilder.formNameNeeded'),
  description: boundedText(2000),
  language: z.enum(LANGUAGES, 'validation.option'),
  form_fields: z
    .array(EventFormField, 'validation.wrongType')
    .min(1, 'formBuilder.fieldNeeded')
    .max(MOST_FIELDS, 'validation.tooMany')
    .superRefine((fields, context) => {
      for (const { path, message } of checkFields(fields))
        context.addIssue({ code: 'custom', path, message })
    }),
  translations: z
    .array(Translation, 'validation.wrongType')
    .max(MOST_FIELDS + 2, 'validation.tooMany'),
}

/** A valid form; each issue names its path and a message key. */
export const Definition = z.object(definitionShape).superRefine((form, context) => {
  for (const { path, message } of checkTranslations(form))
    context.addIssue({ code: 'custom', path, message })
  if (JSON.stringify(form).length > LARGEST_FORM)
    context.addIssue({ code: 'custom', path: ['form_fields'], message: 'formBuilder.tooBig' })
})
/** What a version of a form holds: its questions and their texts. */
export type Definition = z.output<typeof Definition>
