import { Alert, Anchor, List, Text } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useLanguageName } from './language-name'
import { missingTranslations } from './form-draft'
import type { FormField } from './registration-form'

type Props = { fields: readonly FormField[]; language: Language; onOpen: (fieldId: string) => void }

/** More than this would hide the form itself. */
const SHOWN = 6

/** Which texts are still missing in which language, each leading to its field. */
export function MissingTranslations({ fields, language, onOpen }: Props) {
  const say = useSay()
  const languageName = useLanguageName()
  const missing = missingTranslations(fields)
  if (missing.length === 0) return null
  return (
    <Alert role="none" color="yellow" variant="light" icon={<IconLanguage size={18} aria-hidden />}>
      <Text size="sm" fw={600} mb={4}>
        {say({ key: 'formEditor.missing', values: { count: missing.length } })}
      </Text>
      <List size="sm">
        {missing.slice(0, SHOWN).map(({ field, language: lacking, what, option }, at) => (
          // the same option text may be missing twice
          // oxlint-disable-next-line react/no-array-index-key
          <List.Item key={at}>
            {languageName(lacking)}:{' '}
            <Anchor component="button" type="button" size="sm" onClick={() => onOpen(field.id)}>
              <bdi>{translated(field.label, language) || say('formEditor.unnamed')}</bdi>
            </Anchor>
            {what === 'option' && (
              <>
                {' · '}
                <bdi>{option || say('formEditor.emptyOption')}</bdi>
              </>
            )}
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
}
