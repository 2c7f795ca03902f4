import {
  IconAlertTriangleFilled,
  IconBan,
  IconHelpHexagon,
  IconInfoCircle,
} from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import type { Level } from './rules/rule'
import { isOfRule, warningLevel, type OldWarning, type Warning } from './rules/warning'

/** A word and a shape for each level; the colour only repeats them. */
const shapes = {
  must_not: { Icon: IconBan, tone: 'bad' },
  avoid: { Icon: IconAlertTriangleFilled, tone: 'warning' },
  caution: { Icon: IconInfoCircle, tone: 'plain' },
  unchecked: { Icon: IconHelpHexagon, tone: 'warning' },
} as const satisfies Record<Level | 'unchecked', { Icon: typeof IconBan; tone: Tone }>

type Gravity = keyof typeof shapes

/** How grave a warning is, also one that was kept before there were levels. */
export const warningGravity = (warning: Warning | OldWarning): Gravity => {
  if (isOfRule(warning)) return warning.level
  if (warning.kind === 'interaction') return 'must_not'
  if (warning.kind === 'duplicate') return 'avoid'
  if (warning.kind === 'not_asked') return 'unchecked'
  return warning.kind === 'unchecked' ? 'unchecked' : warningLevel(warning)
}

export function LevelBadge({ gravity }: { gravity: Gravity }) {
  const say = useSay()
  const { Icon, tone } = shapes[gravity]
  return (
    <StatusBadge tone={tone} leftSection={<Icon size={14} aria-hidden />}>
      {say(gravity === 'unchecked' ? 'safety.kind.unchecked' : `safety.level.${gravity}`)}
    </StatusBadge>
  )
}

/** The edge of a warning in the colour of its level. */
export const warningEdgeStyle = (gravity: Gravity) => {
  const color = { must_not: 'red', avoid: 'yellow', unchecked: 'yellow', caution: 'gray' }[gravity]
  return { borderInlineStart: `4px solid var(--mantine-color-${color}-7)` }
}
