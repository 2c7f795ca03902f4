import { Group, Paper, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { isNoneKnown, isSeverity } from '~/records/allergy'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'

/** Wraps as one piece: a line break inside would reorder it in text of the other direction. */
const UNBROKEN = { display: 'inline-block' } as const

type SummarizedAllergy = {
  id: string
  substance: string
  substance_kind: string
  reaction: string | null
  severity: string | null
}

/** The active allergies with their reactions, below the patient's line. Null if they could not be loaded. */
export function AllergySummary({ allergies }: { allergies: readonly SummarizedAllergy[] | null }) {
  const say = useSay()
  const known = allergies?.filter((allergy) => !isNoneKnown(allergy)) ?? []
  if (allergies === null)
    return (
      <Text size="sm" fw={600}>
        {say('allergies.failed')}
      </Text>
    )
  // that nobody asked, or that none are known, the line at the top says
  if (known.length === 0) return null
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
            <bdi style={UNBROKEN}>{allergy.substance}</bdi>
            {isSeverity(allergy.severity) && ` · ${say(`allergies.${allergy.severity}`)}`}
            {allergy.reaction && (
              <>
                {' · '}
                <bdi style={UNBROKEN}>{allergy.reaction}</bdi>
              </>
            )}
          </StatusBadge>
        ))}
      </Group>
    </Paper>
  )
}
