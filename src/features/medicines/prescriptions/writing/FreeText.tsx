import { Alert, List } from '@mantine/core'
import { useSay } from '~/shared/say'

/** Free text that a phone wrote beside the medicines; no check has read it. */
export function FreeText({ lines }: { lines: readonly string[] }) {
  const say = useSay()
  if (lines.length === 0) return null
  return (
    <Alert color="yellow" title={say('prescriptions.fromPhone')}>
      <List size="sm">
        {lines.map((line) => (
          <List.Item key={line}>
            <bdi>{line}</bdi>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
