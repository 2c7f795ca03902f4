import { Alert, Anchor, List, Text } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { useFormatter } from 'use-intl'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'

/** A text that is missing: the field to open, and what the text is of: its name, or its name and the option. */
type Gap = { fieldId: string; language: Language; name: string; part?: string }
type Props<M> = {
  missing: readonly M[]
  gapOf: (missing: M) => Gap
  onOpen: (fieldId: string) => void
}

/** More than this would hide the form itself. */
const SHOWN = 6

/** Which texts are still missing in which language, each leading to its field. */
export function TranslationGaps<M>({ missing, gapOf, onOpen }: Props<M>) {
  const say = useSay()
  const format = useFormatter()
  if (missing.length === 0) return null
  return (
    <Alert role="none" color="yellow" variant="light" icon={<IconLanguage size={18} aria-hidden />}>
      <Text size="sm" fw={600} mb={4}>
        {say({ key: 'formEditor.missing', values: { count: missing.length } })}
      </Text>
      <List size="sm">
        {missing.slice(0, SHOWN).map((one, at) => {
          const { fieldId, language, name, part } = gapOf(one)
          return (
            // the same option text may be missing twice
            // oxlint-disable-next-line react/no-array-index-key
            <List.Item key={at}>
              {format.displayName(language, { type: 'language' })}:{' '}
              <Anchor
                component="button"
                type="button"
                size="sm"
                ta="start"
                onClick={() => onOpen(fieldId)}
              >
                <bdi>{name}</bdi>
              </Anchor>
              {part && (
                <>
                  {' · '}
                  <bdi>{part}</bdi>
                </>
              )}
            </List.Item>
          )
        })}
      </List>
      {missing.length > SHOWN && (
        <Text size="sm" mt={4}>
          {say({ key: 'formEditor.missingMore', values: { count: missing.length - SHOWN } })}
        </Text>
      )}
    </Alert>
  )
}
