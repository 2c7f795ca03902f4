import { Avatar } from '@mantine/core'
import { initials } from './initials'

type Props = { name: string; src?: string | null; size?: 'sm' | 'md' | 'lg' | 'xl' }

/**
 * A person's picture, or the initials. The name is beside it or labels the button around it, so
 * it is not read out.
 */
export const PersonAvatar = ({ name, src, size = 'md' }: Props) => (
  <Avatar src={src} alt="" size={size} variant="filled" color="sanad" aria-hidden>
    {initials(name)}
  </Avatar>
)
