import { Stack, Text, Title } from '@mantine/core'
import { useSay, useLanguage } from '~/shared/say'
import { versionText } from '../rules/rule'
import type { ListedRules } from '../rules.server'
import { SourceLink } from './SourceLink'

const LISTS = ['programs', 'schedules', 'vaccines', 'forms', 'sets'] as const

/** What else comes from a clinical source: what it covers, what not, and the sources of its files. */
export function OtherLists({ lists }: { lists: ListedRules['otherLists'] }) {
  const say = useSay()
  return (
    <section aria-label={say('safety.otherLists.title')}>
      <Title order={2} size="h4">
        {say('safety.otherLists.title')}
      </Title>
      <Text size="sm">{say('safety.otherLists.lead')}</Text>
      <Stack gap="md" mt="xs">
        {LISTS.map((list) => (
          <div key={list}>
            <Title order={3} size="h5">
              {say(`safety.otherLists.name.${list}`)}
            </Title>
            <Text size="sm">{say(`safety.otherLists.covers.${list}`)}</Text>
            <Sources of={lists[list]} />
          </div>
        ))}
      </Stack>
    </section>
  )
}

function Sources({ of: list }: { of: ListedRules['otherLists'][(typeof LISTS)[number]] }) {
  const say = useSay()
  const language = useLanguage()
  if (!list) return null
  return (
    <details>
      <summary>
        <Text size="xs" span>
          {say({ key: 'safety.otherLists.sources', values: { version: versionText(list.date) } })}
        </Text>
      </summary>
      <ul>
        {list.sources.map(({ of: form, text, url }) => (
          <Text key={`${form?.en} ${text}`} component="li" size="xs" c="dimmed">
            {form && <bdi>{form[language]}: </bdi>}
            <SourceLink source={{ text, url }} />
          </Text>
        ))}
      </ul>
    </details>
  )
}
