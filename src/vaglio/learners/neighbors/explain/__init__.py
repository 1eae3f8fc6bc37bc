"""Why a model of this family decided so."""
