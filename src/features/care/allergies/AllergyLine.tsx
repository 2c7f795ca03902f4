import { Group, Paper, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '~/client/query'
import { type AllergySeverity, SEVERITIES } from '~/records/allergy'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'

const isSeverity = (severity: string | null): severity is AllergySeverity =>
  (SEVERITIES as readonly (string | null)[]).includes(severity)

/** Wraps as one piece: a line break inside would reorder it in text of the other direction. */
const WHOLE = { display: 'inline-block' } as const

type Shown = {
  id: string
  substance: string
  substance_kind: string
  reaction: string | null
  severity: string | null
}

/** The allergies of a patient who was just chosen in a form. */
export function AllergyLine({ patientId }: { patientId: string }) {
  const { data, error } = useQuery('allergies.list', { patientId })
  if (!data && !error) return null
  return (
    <AllergySummary
      allergies={(error ? null : data)?.filter(({ status }) => status === 'active') ?? null}
    />
  )
}

/** The active allergies in one conspicuous line. Null if they could not be loaded. */
export function AllergySummary({ allergies }: { allergies: readonly Shown[] | null }) {
  const say = useSay()
  const known = allergies?.filter(({ substance_kind }) => substance_kind !== 'none_known') ?? []
  const quiet = (text: 'allergies.failed' | 'allergies.notAsked' | 'allergies.noneKnown') => (
    <Text
      size="sm"
      c={text === 'allergies.noneKnown' ? 'dimmed' : undefined}
      fw={text === 'allergies.failed' ? 600 : undefined}
    >
      {say(text)}
    </Text>
  )
  if (allergies === null) return quiet('allergies.failed')
  if (allergies.length === 0) return quiet('allergies.notAsked')
  if (known.length === 0) return quiet('allergies.noneKnown')
  return (
    <Paper
      withBorder
      px="sm"
      py={8}
      component="section"
      aria-label={say('allergies.summary')}
      style={{ borderInlineStart: '4px solid var(--mantine-color-red-7)' }}
    >
      <Group gap="xs">
        <IconAlertTriangle size={18} aria-hidden color="var(--mantine-color-error)" />
        <Text size="sm" fw={600}>
          {say('allergies.title')}
        </Text>
        {known.map((allergy) => (
          <StatusBadge key={allergy.id} tone="bad" isLong>
            <bdi style={WHOLE}>{allergy.substance}</bdi>
            {isSeverity(allergy.severity) && ` · ${say(`allergies.${allergy.severity}`)}`}
            {allergy.reaction && (
              <>
                {' · '}
                <bdi style={WHOLE}>{allergy.reaction}</bdi>
              </>
            )}
          </StatusBadge>
        ))}
      </Group>
    </Paper>
  )
}
