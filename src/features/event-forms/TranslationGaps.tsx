import { Alert, Anchor, List, Text } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { memo } from 'react'
import { useLanguageName } from '~/features/registration-form/language-name'
import { missingTranslations } from '~/forms/translations'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { titleOf } from './field-name'
import type { FormDraft } from './form-draft'

type Props = { form: FormDraft; language: Language; onOpen: (fieldId: string) => void }

/** More than this would hide the form itself. */
const SHOWN = 6

/** Which texts are still missing in which language, each leading to its field. */
export const TranslationGaps = memo(function TranslationGaps({ form, language, onOpen }: Props) {
  const say = useSay()
  const languageName = useLanguageName()
  const missing = missingTranslations(form)
  if (missing.length === 0) return null
  const nameOf = (fieldId: string, optionId?: string) => {
    const field = form.form_fields.find(({ id }) => id === fieldId)
    if (!field) return say(fieldId === '__form_name__' ? 'formBuilder.formName' : 'formBuilder.formDescription')
    const title = titleOf(field, form, language) || say('formBuilder.unnamed')
    const option = 'options' in field && field.options.find(({ id }) => id === optionId)
    return option ? `${title} · ${option.label}` : title
  }
  return (
    <Alert role="none" color="yellow" variant="light" icon={<IconLanguage size={18} aria-hidden />}>
      <Text size="sm" fw={600} mb={4}>
        {say({ key: 'formEditor.missing', values: { count: missing.length } })}
      </Text>
      <List size="sm">
        {missing.slice(0, SHOWN).map(({ fieldId, language: lacking, what, optionId }) => (
          <List.Item key={`${fieldId} ${lacking} ${what} ${optionId}`}>
            {languageName(lacking)}:{' '}
            <Anchor component="button" type="button" size="sm" onClick={() => onOpen(fieldId)}>
              <bdi>{nameOf(fieldId, optionId)}</bdi>
            </Anchor>
            {what === 'description' && ` · ${say('formBuilder.explanation')}`}
          </List.Item>
        ))}
      </List>
      {missing.length > SHOWN && (
        <Text size="sm" mt={4}>
          {say({ key: 'formEditor.missingMore', values: { count: missing.length - SHOWN } })}
        </Text>
      )}
    </Alert>
  )
})
