import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSay } from '~/shared/say'

type Props = { quantity: number; children?: ReactNode }

/** Says that the balance lacks what was taken beyond the stock, and where that is resolved. */
export function OpenShortfall({ quantity, children }: Props) {
  const say = useSay()
  if (quantity === 0) return null
  return (
    <Text size="sm" fw={600}>
      {say({ key: 'inventory.openShortfall', values: { quantity } })} {children}
    </Text>
  )
}
