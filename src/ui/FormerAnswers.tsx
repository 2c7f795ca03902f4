import { Alert, Stack, Text } from '@mantine/core'
import type { Fields } from '~/fields/field'
import { isEmpty } from '~/fields/kind'
import { useSay } from '~/shared/say'
import type { Draft } from './draft'

/** What a kept draft holds for fields that the form does not have any more. */
export const formerAnswers = (fields: Fields, draft: Draft = {}, own: readonly string[] = []) =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) => !(name in fields) && !own.includes(name) && !isEmpty(value),
    ),
  )

type Props = { answers: Draft; labels?: Readonly<Record<string, string>> }

/** Shows them, to be copied: the form cannot save them. */
export function FormerAnswers({ answers, labels = {} }: Props) {
  const say = useSay()
  return (
    <Alert color="yellow" title={say('form.formerTitle')}>
      <Text size="sm" mb="xs">
        {say('form.formerText')}
      </Text>
      <Stack gap={4}>
        {Object.entries(answers).map(([name, value]) => (
          <Text key={name} size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            <Text span fw={600} inherit>
              <bdi>{labels[name] ?? say('form.formerField')}</bdi>:
            </Text>{' '}
            <bdi>{formatAnswer(value)}</bdi>
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}

/** A medicine or a diagnosis by its name, several answers one after the other. */
function formatAnswer(value: unknown): string {
  const parts: unknown[] = Array.isArray(value) ? value : [value]
  return parts
    .map((part) => {
      if (typeof part !== 'object' || part === null) return String(part)
      return Object.values(part)
        .filter((one) => typeof one === 'string' || typeof one === 'number')
        .join(' ')
    })
    .join('; ')
}
