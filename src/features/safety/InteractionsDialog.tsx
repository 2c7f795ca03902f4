import { Anchor, List, Stack, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { INTERACTION_SOURCE, INTERACTIONS, INTERACTIONS_VERSION, membersOfGroup } from './interactions'

/** The pairs that are checked, with their members, their source and their date: what is not here is not checked. */
export function InteractionsDialog({ onClose }: { onClose: () => void }) {
  const say = useSay()
  return (
    <Dialog
      onClose={onClose}
      size="xl"
      title={say({ key: 'safety.pairsTitle', values: { version: INTERACTIONS_VERSION } })}
    >
      <Stack gap="sm">
        <Text size="sm">
          {say('safety.pairsSource')}{' '}
          <Anchor href={INTERACTION_SOURCE.url} target="_blank" rel="noreferrer" inherit>
            <bdi dir="ltr">{INTERACTION_SOURCE.text}</bdi>
          </Anchor>
        </Text>
        <List type="ordered" size="sm" spacing="sm" pe="sm">
          {INTERACTIONS.map(({ id, groups: [one, other], effect }) => (
            <List.Item key={id}>
              <Text size="sm" fw={600}>
                {say(`safety.effect.${effect}`)}
              </Text>
              <bdi dir="ltr">
                {membersOfGroup(one).join(', ')} <b>+</b> {membersOfGroup(other).join(', ')}
              </bdi>
            </List.Item>
          ))}
        </List>
      </Stack>
    </Dialog>
  )
}
