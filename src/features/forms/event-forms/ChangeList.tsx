import { List, Text } from '@mantine/core'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { VersionChange } from './version-diff'

/** The changes of a version, a sentence each. */
export function ChangeList({
  changes,
  language,
}: {
  changes: readonly VersionChange[]
  language: Language
}) {
  const say = useSay()
  if (changes.length === 0) return <Text c="dimmed">{say('eventForms.noChanges')}</Text>
  return (
    <List spacing={4}>
      {changes.map(({ what, field, from = '', to = '' }, at) => (
        // the same sentence may stand there twice
        // oxlint-disable-next-line react/no-array-index-key
        <List.Item key={at}>
          {say({
            key: `eventForms.diff_${what}`,
            values: {
              field: translated(field, language) || say('eventForms.diffUnnamed'),
              from,
              to,
            },
          })}
        </List.Item>
      ))}
    </List>
  )
}
