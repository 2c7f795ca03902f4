import type { EventFormField } from '~/forms/definition'
import { isLanguage } from '~/shared/language'
import { useSay, useLanguage } from '~/shared/say'
import type { FormDraft } from './form-draft'

/** The name of a field, or the text of a text field, in the viewer's language if it is translated. */
export function translatedFieldName(
  field: EventFormField,
  form: FormDraft,
  language: string,
): string {
  const own = field.fieldType === 'text' ? field.content : field.name
  if (language === form.language || !isLanguage(language)) return own
  return form.translations.find(({ fieldId }) => fieldId === field.id)?.name[language] || own
}

/** `translatedFieldName` in the viewer's language, with a placeholder for an unnamed field. */
export function useFieldName(form: FormDraft) {
  const say = useSay()
  const language = useLanguage()
  return (field: EventFormField) =>
    translatedFieldName(field, form, language) || say('formBuilder.unnamed')
}
