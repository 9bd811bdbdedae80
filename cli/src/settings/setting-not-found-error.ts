import { WindhoverError } from '@windhover/core';
import { nearestName } from '../config/nearest-name.ts';

export class SettingNotFoundError extends WindhoverError {
  readonly code = 'E_SETTING_NOT_FOUND';
  readonly key: string;

  constructor(key: string, keys: readonly string[]) {
    const nearest = nearestName(key, keys);
    super(`There is no setting "${key}". ${nearest ? `Did you mean "${nearest}"?` : 'See: windhover config list'}`);
    this.key = key;
  }
}
