import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { useDelete } from '~/ui/delete'
import { Dialog } from '~/ui/Dialog'
import { StatusBadge } from '~/ui/StatusBadge'
import { doseText } from '../writing/dose'
import type { ListedSet, UsedSet } from './sets.server'

type Props = { patientId: string; onUse: (used: UsedSet) => void; onClose: () => void }

/** The saved sets, those of the recorded problems first. Using one only fills in the form. */
export function UseSetDialog({ patientId, onUse, onClose }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const { remove } = useDelete()
  const { data: sets, error } = useQuery('prescriptionSets.list', { patientId })
  async function use(id: string) {
    const used = await run(() => api.prescriptionSets.use({ id, patientId }))
    if (!used) return
    onUse(used)
    onClose()
  }
  return (
    <Dialog onClose={onClose} title={say('prescriptionSets.use')} size="lg">
      <Stack gap="sm">
        {error !== null && (
          <Text size="sm" fw={600}>
            {say('patientPage.partFailed')}
          </Text>
        )}
        {!sets && error === null && <Loader size="sm" />}
        {sets && sets.length > 0 && <Text size="sm">{say('prescriptionSets.ofAdults')}</Text>}
        {sets?.length === 0 && (
          <Text size="sm" c="dimmed">
            {say('prescriptionSets.empty')}
          </Text>
        )}
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
          {sets?.map((set) => (
            <li key={set.id}>
              <Group gap="xs">
                <Text size="sm" fw={600} component="bdi">
                  {set.name}
                </Text>
                {set.is_of_problem && set.problem_label && (
                  <StatusBadge tone="good">
                    {say({
                      key: 'prescriptionSets.forProblem',
                      values: { problem: set.problem_label },
                    })}
                  </StatusBadge>
                )}
                <Text size="xs" c="dimmed">
                  {set.clinic ? <bdi>{set.clinic}</bdi> : say('prescriptionSets.own')}
                </Text>
              </Group>
              {set.items.map((item) => (
                <SetLine key={item.drug_id} item={item} />
              ))}
              <Group gap="xs" mt={4}>
                <Button
                  size="compact-sm"
                  loading={pending}
                  aria-label={say({ key: 'prescriptionSets.useOne', values: { name: set.name } })}
                  onClick={() => void use(set.id)}
                >
                  {say('prescriptionSets.add')}
                </Button>
                {set.mayChange && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    disabled={pending}
                    aria-label={say({
                      key: 'prescriptionSets.deleteOne',
                      values: { name: set.name },
                    })}
                    onClick={() => void remove('prescriptionSets', set.id, { name: set.name })}
                  >
                    {say('prescriptionSets.delete')}
                  </Button>
                )}
              </Group>
            </li>
          ))}
        </Stack>
      </Stack>
    </Dialog>
  )
}

/** One medicine of a set with its strength, and the dose that was saved with it. */
function SetLine({ item: { name, drug, isInactive, dose, instructions } }: { item: SetItemLine }) {
  const say = useSay()
  if (!drug || isInactive)
    return (
      <Text size="sm" c="dimmed">
        {say({ key: 'prescriptionSets.notInCatalogue', values: { name } })}
      </Text>
    )
  const text = dose ? doseText(dose, drug, say) : instructions
  return (
    <Text size="sm">
      <bdi>{drugTitle(drug, say)}</bdi>
      {' · '}
      <bdi>{text || say('prescriptionSets.noDose')}</bdi>
    </Text>
  )
}
type SetItemLine = ListedSet['items'][number]
