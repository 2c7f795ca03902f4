import { Alert, Button, Group, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import type { useFormEditing } from './form-editing'

/** What the person should know before going on: somebody else saved, something is wrong, a draft was found. */
export function BuilderNotices({ editing }: { editing: ReturnType<typeof useFormEditing> }) {
  const { stale, whole, restored, keepMine, takeNewest, discard } = editing
  const say = useSay()
  if (stale) {
    return (
      <Alert role="alert" color="yellow" variant="light">
        <Text size="sm" fw={600} mb="xs">
          {say(stale)}
        </Text>
        <Group gap="xs">
          <Button size="xs" onClick={keepMine}>
            {say('formBuilder.merge')}
          </Button>
          <Button size="xs" variant="default" onClick={takeNewest}>
            {say('form.takeNewest')}
          </Button>
        </Group>
      </Alert>
    )
  }
  if (whole) return <Alert role="alert" color="red" variant="light" title={say(whole)} />
  if (!restored) return null
  return (
    <Alert role="none" variant="light">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {say('formBuilder.draftFound')} <Moment at={restored} />
        </Text>
        <Button size="xs" variant="default" onClick={discard}>
          {say('formBuilder.discard')}
        </Button>
      </Group>
    </Alert>
  )
}
