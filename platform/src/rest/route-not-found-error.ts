import { WindhoverError } from '@windhover/core';

export class RouteNotFoundError extends WindhoverError {
  readonly code = 'E_ROUTE_NOT_FOUND';
  readonly route: string;
  readonly nearest: string | null;

  constructor(route: string, nearest: string | undefined) {
    super(`There is no ${route}. ${nearest ? `Did you mean ${nearest}? ` : ''}All routes are in /api/v1/openapi.json.`);
    this.route = route;
    this.nearest = nearest ?? null;
  }
}
