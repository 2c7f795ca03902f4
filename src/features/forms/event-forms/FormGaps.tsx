import { memo } from 'react'
import { TranslationGaps } from '~/forms/TranslationGaps'
import { type MissingTranslation, missingTranslations } from '~/forms/translations'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { translatedFieldName } from './builder/field-name'
import type { FormDraft } from './builder/form-draft'

type Props = { form: FormDraft; language: Language; onOpen: (fieldId: string) => void }

/** Which texts of the form are not translated yet. */
export const FormGaps = memo(function FormGaps({ form, language, onOpen }: Props) {
  const say = useSay()
  const toGap = ({ fieldId, language: lacking, what, optionId }: MissingTranslation) => {
    const gap = { fieldId, language: lacking }
    const field = form.form_fields.find(({ id }) => id === fieldId)
    if (!field)
      return {
        ...gap,
        name: say(
          fieldId === '__form_name__' ? 'formBuilder.formName' : 'formBuilder.formDescription',
        ),
      }
    const name = translatedFieldName(field, form, language) || say('formBuilder.unnamed')
    const option = 'options' in field && field.options.find(({ id }) => id === optionId)
    if (option) return { ...gap, name, part: option.label }
    return {
      ...gap,
      name,
      part: what === 'description' ? say('formBuilder.explanation') : undefined,
    }
  }
  return <TranslationGaps missing={missingTranslations(form)} gapOf={toGap} onOpen={onOpen} />
})
