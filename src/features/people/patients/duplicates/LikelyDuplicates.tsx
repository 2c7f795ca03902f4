import { Alert, Badge, Button, Group, List, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconUsers } from '@tabler/icons-react'
import { LinkAnchor } from '~/client/links'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { reasonText, type Sought, strengthText } from './duplicates'
import type { Duplicate } from './duplicates.server'
import { nameOf } from '../patient'

const SETTLE_MS = 400

type Props = {
  /** The values typed so far. */
  values: Omit<Sought, 'exceptId'>
  /** The clinic of the registration: a patient of another clinic can be linked to it. */
  clinic?: { id: string; name: string } | null
  exceptId?: string
}

/**
 * Possible duplicates with their evidence, shown during registration. Saving is always possible.
 */
export function LikelyDuplicates({ values, clinic, exceptId }: Props) {
  const say = useSay()
  const { candidates, refresh } = useDuplicates({ ...values, exceptId })
  const title = say({ key: 'duplicates.title', values: { count: candidates.length } })
  return (
    <section aria-label={say('duplicates.section')}>
      {/* told once and politely: the number alone, not every line of it */}
      <VisuallyHidden>
        <output aria-live="polite">{candidates.length > 0 && title}</output>
      </VisuallyHidden>
      {candidates.length > 0 && (
        <Alert
          color="yellow"
          variant="light"
          role="none"
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
          icon={<IconUsers size={18} aria-hidden />}
          title={title}
        >
          <List listStyleType="none" spacing="md">
            {candidates.map((candidate) => (
              <List.Item key={candidate.id}>
                <Candidate candidate={candidate} clinic={clinic} onLinked={refresh} />
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </section>
  )
}

function useDuplicates(values: Sought) {
  const [settled] = useDebouncedValue(JSON.stringify(values), SETTLE_MS)
  // an error here must not disturb the registration; the next key press tries again
  const { data, refetch } = useQuery('patients.duplicates', JSON.parse(settled) as Sought, {
    keepPrevious: true,
  })
  return { candidates: data?.candidates ?? [], refresh: refetch }
}

type CandidateProps = { candidate: Duplicate; clinic: Props['clinic']; onLinked: () => void }

function Candidate({ candidate, clinic, onLinked }: CandidateProps) {
  const { id, clinics, isKnown, person, yearOfBirth, strength, reasons } = candidate
  const say = useSay()
  const { run, pending } = useAction()
  const name = nameOf(candidate)

  async function link(to: { id: string; name: string }) {
    const isMeant = await confirm({
      title: { key: 'duplicates.linkTitle', values: { clinic: to.name } },
      text: { key: 'duplicates.linkText', values: { name } },
      action: { key: 'duplicates.link', values: { clinic: to.name } },
    })
    if (!isMeant) return
    await run(() => api.patients.link({ id: newId(), patientId: id, clinicId: to.id }), {
      success: { key: 'duplicates.linked', values: { name, clinic: to.name } },
    })
    onLinked()
  }

  const born =
    yearOfBirth &&
    say({
      key: person?.isApproximate ? 'duplicates.bornAbout' : 'duplicates.bornIn',
      values: { year: String(yearOfBirth) },
    })
  const where = clinics.map((each) => each.name).join(', ')
  return (
    <Stack gap={4}>
      <Group gap="xs">
        {isKnown ? (
          <LinkAnchor
            fw={600}
            size="sm"
            target="_blank"
            to="/app/patients/$patientId"
            params={{ patientId: id }}
          >
            <bdi>{name}</bdi>
          </LinkAnchor>
        ) : (
          <Text fw={600} size="sm">
            <bdi>{name}</bdi>
          </Text>
        )}
        {born && <Text size="sm">{born}</Text>}
        <Badge
          variant={strength === 'likely' ? 'filled' : 'outline'}
          color="dark"
          tt="none"
          fw={600}
          radius="sm"
        >
          {say(strengthText(strength))}
        </Badge>
      </Group>
      {person?.phone && (
        <Text size="sm">
          <bdi dir="ltr">{person.phone}</bdi>
        </Text>
      )}
      <Group gap={4}>
        {reasons.map((reason) => (
          <Badge key={reason} variant="default" tt="none" fw={500} radius="sm">
            {say(reasonText(reason))}
          </Badge>
        ))}
      </Group>
      {where && (
        <Text size="xs">{say({ key: 'duplicates.elsewhere', values: { clinics: where } })}</Text>
      )}
      {!isKnown && clinic && (
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          disabled={pending}
          onClick={() => void link(clinic)}
        >
          {say({ key: 'duplicates.link', values: { clinic: clinic.name } })}
        </Button>
      )}
    </Stack>
  )
}
