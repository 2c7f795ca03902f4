import { Alert, Button, Group, Text } from '@mantine/core'
import type { AppError } from '~/shared/errors'
import { type Sayable, useSay } from '~/shared/say'
import { FormAlert } from '~/ui/FormAlert'
import { Moment } from '~/ui/Moment'

type Editing = {
  /** Another user saved first. */
  stale: AppError | null
  isSaving: boolean
  /** What is wrong with the form as a whole. */
  summary: readonly Sayable[]
  /** Since when what is shown was left unsaved on this device. */
  restored?: Date | null
  keepMine: () => void
  takeNewest: () => void
  discard?: () => void
}

/** What the author of a form should know before going on, each with the possible actions. */
export function EditingNotices(props: Editing) {
  const { stale, isSaving, summary, restored, keepMine, takeNewest, discard } = props
  const say = useSay()
  // until a save has ended, the newest version is still being read
  if (stale && isSaving) return null
  if (stale) {
    return (
      <Alert role="alert" color="yellow" variant="light">
        <Text size="sm" fw={600} mb="xs">
          {say(stale.text)}
        </Text>
        <Group gap="xs">
          <Button size="xs" onClick={keepMine}>
            {say('formEditor.merge')}
          </Button>
          <Button size="xs" variant="default" onClick={takeNewest}>
            {say('form.takeNewest')}
          </Button>
        </Group>
      </Alert>
    )
  }
  if (summary.length > 0) return <FormAlert texts={summary} />
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
