import { Alert, Badge, Button, Group, List, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconUsers } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { LinkAnchor, LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { useSay } from '~/shared/say'
import { useComma } from '~/ui/comma'
import { matchReasonKey, type Sought, strengthText } from './duplicates'
import type { Duplicate } from './duplicates.server'
import { patientName } from '../patient'
import { ReasonDialog } from '../ReasonDialog'

const SETTLE_MS = 400

type Props = {
  /** The values typed so far. */
  values: Omit<Sought, 'exceptId'>
  /** The clinic of the registration: a patient of another clinic can be linked to it. */
  clinic?: { id: string; name: string } | null
  exceptId?: string
  /** A further action for a patient outside the user's clinics. */
  forUnknown?: (candidate: { id: string; name: string }) => ReactNode
}

/**
 * Possible duplicates with their evidence, shown during registration. Saving is always possible.
 */
export function LikelyDuplicates({ values, clinic, exceptId, forUnknown }: Props) {
  const say = useSay()
  const { candidates, refresh } = useDuplicates({ ...values, exceptId })
  const title = say({ key: 'duplicates.title', values: { count: candidates.length } })
  return (
    <section aria-label={say('duplicates.section')}>
      {/* a polite live region announces only the number, not every line */}
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
                <Candidate
                  candidate={candidate}
                  clinic={clinic}
                  onLinked={refresh}
                  forUnknown={forUnknown}
                />
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

type CandidateProps = Pick<Props, 'clinic' | 'forUnknown'> & {
  candidate: Duplicate
  onLinked: () => void
}

function Candidate({ candidate, clinic, onLinked, forUnknown }: CandidateProps) {
  const comma = useComma()
  const { id, clinics, isKnown, person, yearOfBirth, strength, reasons } = candidate
  const say = useSay()
  const [isLinking, setLinking] = useState(false)
  const [isLinked, setLinked] = useState(false)
  const name = patientName(candidate)
  const born =
    yearOfBirth &&
    say({
      key: person?.isApproximate ? 'duplicates.bornAbout' : 'duplicates.bornIn',
      values: { year: String(yearOfBirth) },
    })
  const where = clinics.map((each) => each.name).join(comma)
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
            {say(matchReasonKey(reason))}
          </Badge>
        ))}
      </Group>
      {where && (
        <Text size="xs">{say({ key: 'duplicates.elsewhere', values: { clinics: where } })}</Text>
      )}
      {!isKnown && clinic && (
        <Button size="xs" variant="default" w="fit-content" onClick={() => setLinking(true)}>
          {say({ key: 'duplicates.link', values: { clinic: clinic.name } })}
        </Button>
      )}
      {/* the next step is this patient's record, not another registration */}
      {isKnown && isLinked && (
        <LinkButton
          size="xs"
          w="fit-content"
          to="/app/patients/$patientId"
          params={{ patientId: id }}
        >
          {say('registration.open')}
        </LinkButton>
      )}
      {!isKnown && forUnknown?.({ id, name })}
      {isLinking && clinic && (
        <ReasonDialog
          title={{ key: 'duplicates.linkTitle', values: { clinic: clinic.name } }}
          text={{ key: 'duplicates.linkText', values: { name } }}
          submit={{ key: 'duplicates.link', values: { clinic: clinic.name } }}
          saved={{ key: 'duplicates.linked', values: { name, clinic: clinic.name } }}
          onSave={async (given) => {
            await api.patients.link({ ...given, patientId: id, clinicId: clinic.id })
            setLinked(true)
            onLinked()
          }}
          onClose={() => setLinking(false)}
        />
      )}
    </Stack>
  )
}
